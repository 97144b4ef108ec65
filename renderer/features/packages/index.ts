export { ChangeList } from './components/change-list.tsx';
export { FindingList } from './components/finding-list.tsx';
export { KindIcon } from './components/kind-icon.tsx';
export { PackageScreen } from './components/lazy-package-screen.tsx';
export { PackageSettings } from './components/package-settings.tsx';
export { isWithdrawn, StateBadges } from './components/state-badges.tsx';
export { aKind, KINDS, kindWords } from './model/kinds.ts';
export { proposeName, refuseName, rememberScope, slugOf } from './model/package-names.ts';
export { placeOf } from './model/package-places.ts';
