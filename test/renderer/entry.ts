import '#renderer/styles.css';
import { mountApplication } from '#renderer/mount.tsx';
import { FixtureBridge } from './fixture-bridge.ts';
import { scenarioOf } from './scenarios.ts';

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no element for the app');
const name = new URLSearchParams(location.search).get('scenario') ?? 'full';
mountApplication(root, new FixtureBridge(scenarioOf(name)));
