export { RunScreen } from './components/run-screen.tsx';
