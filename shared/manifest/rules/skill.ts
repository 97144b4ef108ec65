import { readFrontmatter } from '../skill-frontmatter.ts';
import type { RuleContext } from './common.ts';

export const SKILL_FILE = 'SKILL.md';
const MAX_NAME_CHARACTERS = 64;
const MAX_DESCRIPTION_CHARACTERS = 1024;
const ADVISED_LINES = 500;

/** Rules of a skill: reference section 19, S1 and S2, and the advice of section 4. */
export function checkSkill({ files, companion }: RuleContext): void {
  if (files === undefined) return;
  const findings = companion(SKILL_FILE);
  const text = files.text(SKILL_FILE);
  if (text === undefined) {
    findings.add('skill_file_missing', [], `The skill has no ${SKILL_FILE}. Write there what it teaches.`);
    return;
  }
  const head = readFrontmatter(text);
  if (head?.name === undefined) {
    const message = `${SKILL_FILE} must begin with a line "---", a line "name: …" and another "---". It has no name there.`;
    findings.add('skill_name_missing', [], message);
    return;
  }
  if (head.fault !== undefined) {
    const message = `The head of ${SKILL_FILE} is not YAML, so only plain lines of it are read. ${head.fault}`;
    findings.add('skill_frontmatter_invalid', [], message);
  }
  const advice: string[] = [];
  if (head.name.length > MAX_NAME_CHARACTERS || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(head.name)) {
    advice.push(
      `Its name should be lower-case words with hyphens, of at most ${MAX_NAME_CHARACTERS} characters.`,
    );
  }
  if (head.description === undefined) {
    advice.push('It should have a description, by which an agent decides when to read it.');
  } else if (head.description.length > MAX_DESCRIPTION_CHARACTERS) {
    advice.push(`Its description should have at most ${MAX_DESCRIPTION_CHARACTERS} characters.`);
  }
  if (text.split('\n').length > ADVISED_LINES) {
    advice.push(`It should have at most ${ADVISED_LINES} lines; put the rest into files it refers to.`);
  }
  if (advice.length > 0) findings.add('skill_advice', [], advice.join(' '));
}
