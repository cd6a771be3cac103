import './theme/all.css';
import { render } from 'solid-js/web';
import { connectGsv } from '../client/connect.ts';
import { App } from './app.tsx';
import { applyTheme } from './parts/theme.ts';

applyTheme();
const page = document.getElementById('page');
if (page !== null) render(() => <App gsv={connectGsv()} />, page);
