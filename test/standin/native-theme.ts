import { EventEmitter } from 'node:events';
import { strict } from './strict.ts';

class NativeThemeStandIn extends EventEmitter {
  #source: 'system' | 'light' | 'dark' = 'system';

  get themeSource(): 'system' | 'light' | 'dark' {
    return this.#source;
  }

  set themeSource(source: 'system' | 'light' | 'dark') {
    this.#source = source;
    this.emit('updated');
  }

  get shouldUseDarkColors(): boolean {
    return this.#source === 'dark';
  }

  /** As the browser's emulation has it; nothing means the system's own. */
  get scheme(): 'light' | 'dark' | '' {
    return this.#source === 'system' ? '' : this.#source;
  }
}

export const nativeTheme = strict('nativeTheme', new NativeThemeStandIn());
