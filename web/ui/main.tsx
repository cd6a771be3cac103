import './theme/all.css';
import { render } from 'solid-js/web';
import { connectGsv } from '../client/connect.ts';
import { readSession } from '../client/session.ts';
import { connectShell } from '../client/shell.ts';
import { App, loadSignedIn } from './app.tsx';
import { followKeyboard } from './parts/keyboard-room.ts';
import { applyTheme } from './parts/theme.ts';

applyTheme();
followKeyboard();
const page = document.getElementById('page');
if (page !== null && window.isSecureContext) {
  // Made outside of the markup: there, every reading of the property would attach once more.
  const shell = connectShell();
  const gsv = connectGsv(() => shell.outdated());
  // Whoever was signed in most likely is: what they see is fetched while the kernel starts.
  if (readSession() !== null) void loadSignedIn().catch(() => {});
  page.replaceChildren();
  render(() => <App gsv={gsv} shell={shell} />, page);
}

if (page !== null && !window.isSecureContext) {
  void import('./views/insecure/insecure.tsx').then(({ InsecureView }) => {
    page.replaceChildren();
    render(() => <InsecureView />, page);
  });
}
