import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { startServer, TOKEN } from './test-support/sidecar-server.ts';
import { errorResult, type SidecarTool } from './tool-registry.ts';

const conformance = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
);

/** Scenarios of the suite that concern what the sidecar serves: tools, over HTTP, without sessions. */
const PASSED = [
  'dns-rebinding-protection',
  'json-schema-2020-12',
  'ping',
  'server-initialize',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-error',
  'tools-call-image',
  'tools-call-mixed-content',
  'tools-call-simple-text',
  'tools-list',
];

/** Scenarios that do not apply, and why. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'completion-complete': 'offers no prompts or resources to complete',
  'elicitation-sep1034-defaults': 'asks its client for nothing',
  'elicitation-sep1330-enums': 'asks its client for nothing',
  'logging-set-level': 'sends no log notifications: `log` goes to the person who started the run',
  'prompts-get-embedded-resource': 'has no prompts',
  'prompts-get-simple': 'has no prompts',
  'prompts-get-with-args': 'has no prompts',
  'prompts-get-with-image': 'has no prompts',
  'prompts-list': 'has no prompts',
  'resources-list': 'has no resources: spilled results come with a later part',
  'resources-read-binary': 'has no resources',
  'resources-read-text': 'has no resources',
  'resources-subscribe': 'has no resources',
  'resources-templates-read': 'has no resources',
  'resources-unsubscribe': 'has no resources',
  'server-sse-multiple-streams': 'keeps no sessions',
  'server-sse-polling': 'keeps no sessions and answers in JSON, never as a stream of events',
  'tools-call-elicitation': 'asks its client for nothing',
  'tools-call-sampling': 'asks its client for nothing',
  'tools-call-with-logging': 'answers in JSON, which carries no notifications',
  'tools-call-with-progress': 'answers in JSON, which carries no notifications',
};

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const image: ContentBlock = { type: 'image', data: PIXEL, mimeType: 'image/png' };
const resource = (uri: string, mimeType: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType, text: '{"test":"data"}' },
});

function tool(name: string, content: ContentBlock[]): SidecarTool {
  return {
    definition: { name, description: `The suite's ${name}`, inputSchema: { type: 'object' } },
    call: async () => ({ content }),
  };
}

/** The tools the suite calls, served by the sidecar's own endpoint. */
const suiteTools: SidecarTool[] = [
  tool('test_simple_text', [text('This is a simple text response for testing.')]),
  tool('test_image_content', [image]),
  tool('test_audio_content', [{ type: 'audio', data: 'UklGRiQAAABXQVZF', mimeType: 'audio/wav' }]),
  tool('test_embedded_resource', [resource('test://embedded-resource', 'text/plain')]),
  tool('test_multiple_content_types', [
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json'),
  ]),
  {
    definition: { name: 'test_error_handling', description: 'Fails', inputSchema: { type: 'object' } },
    call: async () => errorResult('This tool intentionally returns an error for testing'),
  },
  {
    definition: {
      name: 'json_schema_2020_12_tool',
      description: 'Tool with JSON Schema 2020-12 features',
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: { address: { type: 'object', properties: { street: { type: 'string' } } } },
        properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
        additionalProperties: false,
      },
    },
    call: async () => ({ content: [] }),
  },
];

/** A port of this machine whose every request goes to the socket with the token added. */
async function openPort(socketPath: string): Promise<{ url: string } & AsyncDisposable> {
  const proxy = createServer((request, response) => {
    const outgoing = httpRequest(
      {
        socketPath,
        method: request.method,
        path: request.url,
        headers: { ...request.headers, authorization: `Bearer ${TOKEN}` },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    outgoing.on('error', () => response.destroy());
    request.pipe(outgoing);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

it('passes every scenario of the conformance suite that applies to it', async () => {
  await using server = await startServer(suiteTools);
  await using port = await openPort(server.socketPath);
  const results = await mkdtemp(join(tmpdir(), 'slipway-conformance-'));
  try {
    await new Promise<void>((resolve) => {
      execFile(
        process.execPath,
        [conformance, 'server', '--url', port.url, '--suite', 'all', '-o', results],
        // It ends with an error since scenarios fail that do not apply; what counts is what it wrote.
        () => resolve(),
      );
    });
    const outcomes = new Map<string, boolean>();
    for (const folder of await readdir(results)) {
      const checks = z
        .array(z.object({ status: z.string() }))
        .parse(JSON.parse(await readFile(join(results, folder, 'checks.json'), 'utf8')));
      const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T.*$/, '');
      outcomes.set(scenario, checks.length > 0 && checks.every(({ status }) => status === 'SUCCESS'));
    }
    const passed = [...outcomes].flatMap(([scenario, isPassed]) => (isPassed ? [scenario] : []));
    expect([...outcomes.keys()].toSorted()).toEqual([...PASSED, ...Object.keys(NOT_APPLICABLE)].toSorted());
    expect(passed.toSorted()).toEqual(PASSED);
  } finally {
    await rm(results, { recursive: true });
  }
}, 120_000);
