import './styles.css';
import { mountApplication } from './mount.tsx';

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no element for the app');

const bridge = window.slipway ?? (await createBrowserBridge());
mountApplication(root, bridge);

/** Only a page in a browser needs the browser's bridge. */
async function createBrowserBridge() {
  const { BrowserBridge } = await import('./shell/browser-bridge.ts');
  return new BrowserBridge();
}
