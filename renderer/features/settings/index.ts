export { SettingsScreen } from './components/lazy-settings-screen.tsx';
