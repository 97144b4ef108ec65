export { MemoryTab } from './components/memory-tab.tsx';
