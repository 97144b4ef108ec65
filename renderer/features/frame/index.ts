export { AppFrame } from './components/app-frame.tsx';
export { DisconnectedScreen } from './components/disconnected-screen.tsx';
