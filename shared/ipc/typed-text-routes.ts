import { z } from 'zod';

const nothing = z.object({});
const packageName = z.string().min(1).max(4096);
/** Tells one open editor from another, so that two windows keep their texts apart. */
const writer = z.string().min(1).max(100);
/** Characters of a text; less than a message between page and main can carry. */
const MAX_TEXT_CHARACTERS = 6_000_000;

export const typedFileSchema = z.object({
  path: z.string().min(1).max(1_000),
  text: z.string().max(MAX_TEXT_CHARACTERS),
});

/** What was typed into a draft and is not in it: JSON that has a fault, or the letters before an end. */
export const typedTextsSchema = z.object({
  writer,
  /** State of the draft that was edited. */
  basedOn: z.number().int(),
  /** Milliseconds since 1970. */
  keptAt: z.number(),
  files: z.array(typedFileSchema),
});
export type TypedTexts = z.infer<typeof typedTextsSchema>;

/** Requests about texts that are typed and not saved, which outlive a killed app. */
export const typedTextRoutes = {
  /** In the place of what the same writer has kept. */
  'typedTexts.keep': {
    input: z.object({
      name: packageName,
      writer,
      basedOn: z.number().int(),
      files: z.array(typedFileSchema).min(1).max(2),
    }),
    output: nothing,
  },
  /** What was kept of a package's draft, the newest first. */
  'typedTexts.list': {
    input: z.object({ name: packageName }),
    output: z.object({ texts: z.array(typedTextsSchema) }),
  },
  'typedTexts.forget': { input: z.object({ name: packageName, writer }), output: nothing },
} as const;
