export { TrialScreen } from './components/lazy-trial-screen.tsx';
