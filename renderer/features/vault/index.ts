export { VaultForm } from './components/vault-form.tsx';
export { VaultLockedScreen } from './components/vault-locked-screen.tsx';
