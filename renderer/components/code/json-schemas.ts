/** A schema that helps with the JSON text of one model. */
export interface JsonSchemaBinding {
  readonly modelUri: string;
  readonly schema: Record<string, unknown>;
  /** What the text gives as its `$schema`, which would else be looked for in vain. */
  readonly declaredUri?: string | undefined;
}

const bindings = new Map<string, JsonSchemaBinding>();
let follower: ((bindings: readonly JsonSchemaBinding[]) => void) | undefined;

/**
 * Completes and explains a model's JSON by a schema, until the returned function is called. It may be
 * called before the editor is loaded.
 */
export function bindJsonSchema(binding: JsonSchemaBinding): () => void {
  bindings.set(binding.modelUri, binding);
  tell();
  return () => {
    if (bindings.get(binding.modelUri) !== binding) return;
    bindings.delete(binding.modelUri);
    tell();
  };
}

/** Tells the loaded editor of the schemas there are, now and after each change. */
export function followJsonSchemas(listener: (bindings: readonly JsonSchemaBinding[]) => void): void {
  follower = listener;
  tell();
}

/** The editor starts its worker anew for each telling, so changes that come together are told once. */
const PAUSE = 50;
let timer: ReturnType<typeof setTimeout> | undefined;

function tell(): void {
  clearTimeout(timer);
  timer = setTimeout(() => follower?.([...bindings.values()]), PAUSE);
}
