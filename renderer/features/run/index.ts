export { RunScreen } from './components/run-screen.tsx';
export { RunPanel } from './components/run-panel.tsx';
