/** Import arrows of the design: what may import what. Every rule is an error. */
const domain = '(engines|library|models|runs|secrets|settings|store|connections|direct-calls|offering)';

module.exports = {
  forbidden: [
    {
      name: 'shared-is-pure',
      comment: 'shared/ is imported by every program, so it may need neither Node nor the DOM nor main.',
      severity: 'error',
      from: { path: '^shared/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(main|renderer|test)/' },
    },
    {
      name: 'shared-without-node',
      severity: 'error',
      from: { path: '^shared/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'renderer-to-shared-only',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { path: '^(main|test)/' },
    },
    {
      name: 'renderer-without-node',
      severity: 'error',
      from: { path: '^renderer/', pathNot: '\\.test\\.tsx?$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'main-never-renderer',
      severity: 'error',
      from: { path: '^main/' },
      to: { path: '^renderer/' },
    },
    {
      name: 'programs-to-shared-only',
      comment: 'The programs in the containers are bundles of their own.',
      severity: 'error',
      from: { path: '^main/(sidecar|sandbox|runner)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^main/', pathNot: '^main/$1/' },
    },
    {
      name: 'no-domain-insides',
      comment: 'A domain of main is used through its index, or its port, never through its inside.',
      severity: 'error',
      from: { path: `^main/${domain}/`, pathNot: '\\.test\\.ts$' },
      to: {
        path: `^main/${domain}/`,
        pathNot: [
          '^main/$1/',
          '/index\\.ts$',
          '^main/engines/engine\\.ts$',
          '^main/models/model-gateway\\.ts$',
          '^main/library/library\\.ts$',
          '^main/runs/run-service\\.ts$',
          '^main/secrets/secret-store\\.ts$',
          '^main/store/database\\.ts$',
        ],
      },
    },
    {
      name: 'domains-below-app',
      comment: 'Domains know neither the composition root nor the shells.',
      severity: 'error',
      from: { path: `^main/${domain}/`, pathNot: '\\.test\\.ts$' },
      to: { path: '^main/(app|shell)/' },
    },
    {
      name: 'electron-at-the-edge',
      severity: 'error',
      from: { pathNot: '^(main/shell/electron|test|scripts)/' },
      to: { path: '(^|node_modules/)electron($|/)' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-development-dependencies',
      comment: 'What ships may not import what only builds and tests.',
      severity: 'error',
      from: { path: '^(main|renderer|shared)/', pathNot: '(\\.test\\.tsx?$)|(^main/shell/electron/)' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    parser: 'tsc',
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
};
