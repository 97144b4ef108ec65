export { RunScreen } from './components/lazy-run-screen.tsx';
export { RunPanel } from './components/run-panel.tsx';
