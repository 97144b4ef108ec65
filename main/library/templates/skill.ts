import { describe, heading, manifestFile, type NewPackage, type PackageText } from './new-package.ts';

const EXAMPLE = 'How dates and numbers are written in our reports. Read it before you write a report.';
/** Longest name and description that hosts of skills accept. */
const MAX_NAME_CHARACTERS = 64;
const MAX_DESCRIPTION_CHARACTERS = 1024;

/** A skill of one page, with a second one that is read only when it is needed. */
export function skillFiles(identity: NewPackage): PackageText {
  const description = describe(identity, EXAMPLE).replaceAll(/\s+/g, ' ');
  const text = `---
name: ${skillName(identity.name)}
description: ${JSON.stringify(cut(description, MAX_DESCRIPTION_CHARACTERS))}
---

${heading(identity)}

Say here what an agent should know or do differently, in the order in which it needs it.

## When to use this

- Before a report is written.
- When a report is checked.

## What to do

1. Write dates as 2026-03-31.
2. Write numbers from a thousand on with a thin space: 12 400.
3. Give every figure its unit, and say where it comes from.

For special cases read [references/special-cases.md](references/special-cases.md).
`;
  const reference = `# Special cases

An agent reads this file only when SKILL.md sends it here, so long lists and rare cases belong here.

- Money: the currency's code before the amount, as in EUR 12 400.
- Percentages: one decimal place, unless the source has fewer.
`;
  return new Map([
    manifestFile('skill', identity, { description: EXAMPLE, members: {} }),
    ['SKILL.md', text],
    ['references/special-cases.md', reference],
  ]);
}

/** The name skills go by: the package's without its scope, with single hyphens, and not too long. */
function skillName(name: string): string {
  const slug = name.slice(name.indexOf('/') + 1).replaceAll(/-+/g, '-');
  // Quoted, since YAML would read some as a number, a date or a truth value.
  const short = slug.slice(0, MAX_NAME_CHARACTERS).replace(/-$/, '');
  return JSON.stringify(short);
}

/** Cuts between characters, never inside one that takes two units. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const isInside = /[\uD800-\uDBFF]/.test(text.charAt(length - 1));
  return text.slice(0, isInside ? length - 1 : length);
}
