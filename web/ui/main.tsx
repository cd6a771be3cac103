import './theme/all.css';
import { render } from 'solid-js/web';
import { connectGsv } from '../client/connect.ts';
import { App } from './app.tsx';
import { applyTheme } from './parts/theme.ts';

applyTheme();
const page = document.getElementById('page');
if (page !== null) {
  // Made outside of the markup: there, every reading of the property would attach once more.
  const gsv = connectGsv();
  render(() => <App gsv={gsv} />, page);
}
