export { LibraryScreen } from './components/library-screen.tsx';
