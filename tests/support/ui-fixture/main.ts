import '../../../web/ui/theme/all.css';
import { createComponent } from 'solid-js';
import { render } from 'solid-js/web';
import { App } from '../../../web/ui/app.tsx';
import { applyTheme } from '../../../web/ui/parts/theme.ts';
import { sceneNamed } from './scenes.ts';
import { ScriptedGsv } from './scripted-gsv.ts';

/** The page on a scripted kernel: `?scene=NAME` chooses what it shows, `&hold=SYSCALL` leaves calls of it unanswered. Tests reach the script through `window.gsv`. */
const asked = new URLSearchParams(location.search);
const scene = sceneNamed(asked.get('scene') ?? 'chat');
const gsv = new ScriptedGsv(scene, asked.getAll('hold'));
Object.assign(window, { gsv });
applyTheme();
const page = document.getElementById('page');
if (page !== null) render(() => createComponent(App, { gsv }), page);
