import { z } from 'zod';
import type { Dialect } from '../dialect.ts';
import { commonShape, flag, listOf, mapOf, objectOf, oneOf, someText, text, textMatching } from './common.ts';

/** Shape of an MCP server's manifest: the vocabulary of MCP bundles under an AFPS root. */
export function mcpServerSchema(dialect: Dialect) {
  return objectOf(
    {
      ...commonShape(dialect),
      type: z.literal('mcp-server', '"mcp-server"'),
      manifest_version: textMatching(/^\d+\.\d+$/, 'a version of two numbers such as "0.3"'),
      server: objectOf(
        {
          type: oneOf(['node', 'python', 'binary', 'uv'], 'a kind of server'),
          entry_point: someText('the path of the file that starts the server'),
          mcp_config: objectOf(
            {
              command: someText('the command that starts the server'),
              args: listOf(text('text'), 'a list of arguments').optional(),
              env: mapOf(text('text'), 'an object from a variable to its value').optional(),
              platform_overrides: mapOf(z.unknown(), 'an object from a platform to its changes').optional(),
            },
            'an object with the "command" that starts the server',
          ),
        },
        'an object with "type", "entry_point" and "mcp_config"',
      ),
      tools: listOf(
        objectOf(
          { name: someText('the name of a tool'), description: text('what the tool does').optional() },
          'an object with a "name"',
        ),
        'a list of tools',
      ).optional(),
      user_config: mapOf(
        objectOf(
          {
            type: oneOf(['string', 'number', 'boolean', 'directory', 'file'], 'a type'),
            title: someText('the name people see').optional(),
            description: text('text').optional(),
            required: flag('true or false').optional(),
            default: z.unknown().optional(),
            multiple: flag('true or false').optional(),
            sensitive: flag('true or false').optional(),
            min: z.number('a number').optional(),
            max: z.number('a number').optional(),
          },
          'an object with a "type" and a "title"',
        ),
        'an object from a key to a setting',
      ).optional(),
    },
    'an object',
  );
}

/** What a platform's entry of `platform_overrides` puts in the place of the common command. */
export const platformOverrideSchema = objectOf(
  {
    command: someText('the command that starts the server').optional(),
    args: listOf(text('text'), 'a list of arguments').optional(),
    env: mapOf(text('text'), 'an object from a variable to its value').optional(),
  },
  'an object with "command", "args" and "env"',
);

export const MCP_RUNTIME_KEY = 'dev.appstrate/mcp-server';

/** Shape of `_meta["dev.appstrate/mcp-server"]`: what runs the server. */
export const mcpRuntimeSchema = objectOf(
  { runtime: oneOf(['node', 'bun', 'python', 'uv', 'binary'], 'a runtime').optional() },
  'an object with a "runtime"',
);

export const WORKSPACE_KEY = 'dev.appstrate/workspace';

/** Shape of `_meta["dev.appstrate/workspace"]`: the run's workspace as the server sees it. */
export const workspaceSchema = objectOf(
  {
    mount: text('an absolute path').optional(),
    access: oneOf(['ro', 'rw'], 'an access').optional(),
  },
  'an object with "mount" and "access"',
);
