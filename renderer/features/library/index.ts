export { AgentScreen } from './components/agent-screen.tsx';
export { LibraryScreen } from './components/library-screen.tsx';
