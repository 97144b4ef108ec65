export { RunForm } from './components/run-form.tsx';
export { ModelPicker } from './components/model-picker.tsx';
export { useExampleRun } from './hooks/use-example-run.ts';
export { useStartRun } from './hooks/use-start-run.ts';
export { FormPreview } from './components/form-preview.tsx';
