export { EngineDetails } from './components/engine-details.tsx';
export { EngineMissingScreen } from './components/engine-missing-screen.tsx';
export { ImageFailedScreen } from './components/image-failed-screen.tsx';
export { ImageStatusView } from './components/image-status-view.tsx';
export { runBlocker } from './model/run-blocker.ts';
