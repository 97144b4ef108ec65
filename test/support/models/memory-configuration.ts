import type { ConfigurationStore } from '#main/models/index.ts';

/** A configuration that lasts as long as the test, kept as text as a database would. */
export function memoryConfiguration(): ConfigurationStore & { text: string } {
  return {
    text: 'null',
    read() {
      return JSON.parse(this.text) as unknown;
    },
    write(value) {
      this.text = JSON.stringify(value);
    },
  };
}
