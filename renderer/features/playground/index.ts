export { PlaygroundTab } from './components/playground-tab.tsx';
/** Arguments of a call, typed in by hand: for the page of an MCP server too. */
export { ArgumentsEditor, useTypedArguments, type TypedArguments } from './components/arguments-editor.tsx';
export { fieldsOf, type ArgumentField } from './model/argument-fields.ts';
export { keepArguments, keptArguments } from './model/kept-arguments.ts';
