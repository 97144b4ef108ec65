import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends a run with the one line that says how many tests passed and failed. A test that did not run, because
 * a hook before it failed or somebody skipped it, is no test that passed.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    for (const module of modules) {
      const suites = [module, ...module.children.allSuites()];
      failed += suites.filter((suite) => suite.errors().length > 0).length;
      for (const test of module.children.allTests()) {
        if (test.result().state === 'passed') passed += 1;
        else failed += 1;
      }
    }
    process.on('exit', () => {
      process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
      if (failed > 0) process.exitCode ||= 1;
    });
  }
}
