export { VaultDoor } from './components/vault-door.tsx';
export { VaultLockedScreen } from './components/vault-locked-screen.tsx';
