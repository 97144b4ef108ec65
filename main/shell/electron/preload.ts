import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { RegisteredFile, ShellBridge } from '#shared/ipc/frames.ts';
import { callsPath, exportPath, outputPath } from '#shared/ipc/resource-address.ts';
import type { Result } from '#shared/problem.ts';
import { channels } from './channels.ts';

const bridge: ShellBridge = {
  shell: 'electron',
  send(frame) {
    ipcRenderer.send(channels.clientFrame, frame);
  },
  onFrame(listener) {
    const receive = (_event: unknown, number: number, frame: unknown) => {
      listener(frame);
      ipcRenderer.send(channels.frameTaken, number);
    };
    ipcRenderer.on(channels.serverFrame, receive);
    return () => void ipcRenderer.off(channels.serverFrame, receive);
  },
  // The carrier is there as long as the page is.
  onState(listener) {
    listener('open');
    return () => undefined;
  },
  registerFile(file) {
    // Only a file that the person gave to the page has a path; for anything else this throws or is empty.
    const path = webUtils.getPathForFile(file as File);
    return ipcRenderer.invoke(channels.registerFile, path) as Promise<Result<RegisteredFile>>;
  },
  outputUrl: outputPath,
  callsUrl: callsPath,
  exportUrl: exportPath,
};

contextBridge.exposeInMainWorld('slipway', bridge);
