export { PlaygroundTab } from './components/playground-tab.tsx';
