export { RunsScreen } from './components/runs-screen.tsx';
export { RunTable } from './components/run-table.tsx';
