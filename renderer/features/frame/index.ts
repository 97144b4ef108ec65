export { AppFrame } from './components/app-frame.tsx';
