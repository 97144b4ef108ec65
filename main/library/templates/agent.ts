import { heading, manifestFile, type NewPackage, type PackageText } from './new-package.ts';

/** An agent that reads a text and answers a question about it: input, files, log and output in small. */
export function agentFiles(identity: NewPackage): PackageText {
  const manifest = manifestFile('agent', identity, {
    description: 'Reads a text and answers a question about it.',
    members: {
      timeout: 300,
      runtime_tools: ['output', 'log'],
      dependencies: { skills: {}, mcp_servers: {}, integrations: {} },
      input: {
        schema: {
          type: 'object',
          properties: {
            text: {
              type: 'string',
              format: 'uri',
              contentMediaType: 'text/plain',
              title: 'Text',
              description: 'The file to read.',
            },
            question: {
              type: 'string',
              title: 'Question',
              description: 'What you want to know about it.',
              default: 'What is this about, in three sentences?',
            },
          },
          required: ['text', 'question'],
        },
        file_constraints: { text: { accept: '.txt,.md', max_size: 10_485_760 } },
        property_order: ['text', 'question'],
      },
      output: {
        schema: {
          type: 'object',
          properties: {
            status: { type: 'string', enum: ['answered', 'not_in_text'] },
            answer: { type: 'string', description: 'The answer, or why there is none.' },
          },
          required: ['status', 'answer'],
        },
      },
    },
  });
  const prompt = `${heading(identity)}

You answer a question about a text that someone gives you.

## What you are given

- \`text\`: one file, under \`documents/\`.
- \`question\`: what they want to know about it.

## How to work

1. Read the whole text before you answer.
2. Look for the places that bear on the question, and quote them to yourself.
3. Answer from the text alone. If it does not say, do not guess: say so.

## What to deliver

1. \`outputs/answer.md\`: the answer, and below it the places in the text it rests on.
2. A \`log\` for whatever in the text surprised you or seems wrong.
3. At the end one call of \`output\`, with \`status\` \`answered\` only if the text really says it.
`;
  return new Map([manifest, ['prompt.md', prompt]]);
}
