import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthMethod, IntegrationManifest } from '#shared/manifest/model/integration.ts';
import { isRecord, itemsOf, membersOf } from '#shared/manifest/plain.ts';
import { toolCatalogOf } from '#shared/manifest/tool-catalog.ts';
import { MANIFEST_FILE, validatePackage } from '#shared/manifest/validate.ts';
import { compileAuthorizedUris } from '#shared/tools/authorized-uris.ts';
import { judgeTarget } from '#shared/tools/target-rules.ts';
import { parseTarget } from '#shared/tools/target-url.ts';
import { createSchemaChecker } from '../json-schema.ts';
import { Catalogue } from './index.ts';

/** Calls that the vendors document, by service: each must be let through by some method of it. */
const DOCUMENTED_CALLS: Readonly<Record<string, readonly string[]>> = {
  gmail: [
    'https://gmail.googleapis.com/gmail/v1/users/me/messages?q=from:a',
    'https://gmail.googleapis.com/upload/gmail/v1/users/me/messages/send?uploadType=resumable',
  ],
  'google-drive': [
    'https://www.googleapis.com/drive/v3/files',
    'https://www.googleapis.com/upload/drive/v3/files?uploadType=resumable&upload_id=x',
  ],
  'google-calendar': ['https://www.googleapis.com/calendar/v3/calendars/primary/events'],
  'google-sheets': [
    'https://sheets.googleapis.com/v4/spreadsheets/x/values/Sheet1!A1:B2',
    'https://sheets.googleapis.com/v4/spreadsheets/x:batchUpdate',
  ],
  'google-docs': ['https://docs.googleapis.com/v1/documents/x'],
  'google-slides': ['https://slides.googleapis.com/v1/presentations/x'],
  'google-contacts': ['https://people.googleapis.com/v1/people/me/connections?personFields=names'],
  'google-tasks': ['https://tasks.googleapis.com/tasks/v1/users/@me/lists'],
  'google-forms': ['https://forms.googleapis.com/v1/forms/x/responses'],
  youtube: [
    'https://www.googleapis.com/youtube/v3/search?part=snippet',
    'https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status',
  ],
  'google-analytics': [
    'https://analyticsdata.googleapis.com/v1beta/properties/1:runReport',
    'https://analyticsadmin.googleapis.com/v1beta/accountSummaries',
  ],
  'google-search-console': [
    'https://www.googleapis.com/webmasters/v3/sites/https%3A%2F%2Fexample.com%2F/searchAnalytics/query',
    'https://searchconsole.googleapis.com/v1/urlInspection/index:inspect',
  ],
  'google-cloud-storage': [
    'https://storage.googleapis.com/storage/v1/b/bucket/o',
    'https://storage.googleapis.com/bucket/object?uploads',
    'https://bucket.storage.googleapis.com/object',
    'https://storage.googleapis.com/upload/storage/v1/b/bucket/o?uploadType=resumable&name=x',
  ],
  'microsoft-outlook': [
    'https://graph.microsoft.com/v1.0/me/messages',
    "https://outlook.office.com/api/gv1.0/users('a')/messages('b')/AttachmentSessions('c')?authtoken=d",
  ],
  'microsoft-onedrive': [
    'https://graph.microsoft.com/v1.0/me/drive/root/children',
    'https://sn3302.up.1drv.com/up/fe6987415ace7X4e1eF866337',
    'https://contoso-my.sharepoint.com/personal/ann/_api/v2.0/drives/x/items/y/uploadSession?guid=z',
  ],
  'microsoft-sharepoint': [
    'https://graph.microsoft.com/v1.0/sites?search=x',
    'https://contoso.sharepoint.com/_api/v2.0/drives/x/items/y/uploadSession?guid=z',
    'https://contoso.sharepoint.com/sites/a/_api/v2.0/drives/x',
  ],
  'microsoft-excel': ['https://graph.microsoft.com/v1.0/me/drive/items/x/workbook/worksheets'],
  'microsoft-teams': ['https://graph.microsoft.com/v1.0/me/joinedTeams'],
  'microsoft-todo': ['https://graph.microsoft.com/v1.0/me/todo/lists'],
  github: [
    'https://api.github.com/user',
    'https://uploads.github.com/repos/o/r/releases/1/assets?name=a',
    'https://codeload.github.com/o/r/legacy.zip/refs/heads/main',
  ],
  gitlab: ['https://gitlab.com/api/v4/projects/group%2Fname/issues', 'https://gitlab.com/api/graphql'],
  bitbucket: ['https://api.bitbucket.org/2.0/repositories/w/r/pullrequests'],
  sentry: [
    'https://sentry.io/api/0/organizations/o/issues/',
    'https://de.sentry.io/api/0/organizations/o/issues/',
  ],
  pagerduty: ['https://api.pagerduty.com/incidents', 'https://api.eu.pagerduty.com/incidents'],
  cloudflare: [
    'https://api.cloudflare.com/client/v4/zones',
    'https://api.cloudflare.com/client/v4/accounts/a/stream',
  ],
  vercel: ['https://api.vercel.com/v6/deployments'],
  supabase: ['https://api.supabase.com/v1/projects'],
  slack: ['https://slack.com/api/chat.postMessage', 'https://files.slack.com/files-pri/T1-F1/a.png'],
  discord: ['https://discord.com/api/v10/channels/1/messages'],
  telegram: [
    'https://api.telegram.org/bot123:ABC/sendMessage',
    'https://api.telegram.org/file/bot123:ABC/photos/file_1.jpg',
  ],
  twilio: [
    'https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json',
    'https://lookups.twilio.com/v2/PhoneNumbers/%2B49',
  ],
  sendgrid: ['https://api.sendgrid.com/v3/mail/send', 'https://api.eu.sendgrid.com/v3/mail/send'],
  postmark: ['https://api.postmarkapp.com/email', 'https://api.postmarkapp.com/servers'],
  notion: ['https://api.notion.com/v1/search'],
  linear: ['https://api.linear.app/graphql', 'https://uploads.linear.app/a/b/c'],
  jira: [
    'https://api.atlassian.com/oauth/token/accessible-resources',
    'https://api.atlassian.com/ex/jira/1/rest/api/3/search/jql?jql=x',
    'https://acme.atlassian.net/rest/api/3/myself',
  ],
  confluence: [
    'https://api.atlassian.com/ex/confluence/1/wiki/api/v2/pages',
    'https://acme.atlassian.net/wiki/api/v2/pages',
  ],
  asana: ['https://app.asana.com/api/1.0/tasks'],
  trello: ['https://api.trello.com/1/members/me/boards'],
  clickup: ['https://api.clickup.com/api/v2/team', 'https://api.clickup.com/api/v3/workspaces/1/docs'],
  monday: ['https://api.monday.com/v2', 'https://api.monday.com/v2/file'],
  todoist: ['https://api.todoist.com/api/v1/tasks'],
  airtable: [
    'https://api.airtable.com/v0/appX/Table',
    'https://content.airtable.com/v0/appX/recY/Files/uploadAttachment',
  ],
  hubspot: ['https://api.hubapi.com/crm/v3/objects/contacts/search'],
  salesforce: [
    'https://acme.my.salesforce.com/services/data/v62.0/query?q=SELECT+Id',
    'https://acme--dev.sandbox.my.salesforce.com/services/data/v62.0/',
  ],
  pipedrive: ['https://api.pipedrive.com/v1/deals', 'https://acme.pipedrive.com/api/v2/deals'],
  intercom: ['https://api.intercom.io/conversations/search', 'https://api.eu.intercom.io/me'],
  zendesk: ['https://acme.zendesk.com/api/v2/tickets.json'],
  mailchimp: ['https://us21.api.mailchimp.com/3.0/lists', 'https://login.mailchimp.com/oauth2/metadata'],
  stripe: ['https://api.stripe.com/v1/customers', 'https://files.stripe.com/v1/files'],
  shopify: [
    'https://acme.myshopify.com/admin/api/2026-01/graphql.json',
    'https://acme.myshopify.com/admin/oauth/access_token',
  ],
  dropbox: [
    'https://api.dropboxapi.com/2/files/list_folder',
    'https://content.dropboxapi.com/2/files/download',
  ],
  box: [
    'https://api.box.com/2.0/folders/0/items',
    'https://upload.box.com/api/2.0/files/content',
    'https://dl.boxcloud.com/d/1/x/download',
  ],
  'ibm-cloud-object-storage': [
    'https://s3.eu-de.cloud-object-storage.appdomain.cloud/bucket/object?uploads',
    'https://iam.cloud.ibm.com/oidc/token',
  ],
  calendly: ['https://api.calendly.com/users/me'],
  zoom: [
    'https://api.zoom.us/v2/users/me/meetings',
    'https://zoom.us/rec/download/x',
    'https://us02web.zoom.us/rec/download/x',
  ],
  figma: ['https://api.figma.com/v1/files/x'],
  spotify: ['https://api.spotify.com/v1/me/playlists'],
  reddit: ['https://oauth.reddit.com/r/x/new'],
  x: ['https://api.x.com/2/tweets', 'https://api.x.com/2/media/upload'],
  linkedin: ['https://api.linkedin.com/v2/userinfo', 'https://api.linkedin.com/rest/posts'],
  wordpress: [
    'https://public-api.wordpress.com/rest/v1.1/me/sites',
    'https://public-api.wordpress.com/wp/v2/sites/x/posts',
  ],
  openai: ['https://api.openai.com/v1/models'],
  anthropic: ['https://api.anthropic.com/v1/messages'],
  'github-mcp': ['https://api.githubcopilot.com/mcp/'],
  'linear-mcp': ['https://mcp.linear.app/mcp'],
  'notion-mcp': ['https://mcp.notion.com/mcp'],
  'stripe-mcp': ['https://mcp.stripe.com/'],
  'supabase-mcp': ['https://mcp.supabase.com/mcp?project_ref=x'],
  'hugging-face-mcp': ['https://huggingface.co/mcp'],
};

/** Addresses that no credential of the catalogue may ever be sent to. */
const OUTSIDE = [
  'https://example.com/',
  'https://evil.example/api/v2/tickets.json',
  'https://zendesk.com.evil.example/api/v2/tickets.json',
  'https://api.github.com.evil.example/user',
  'http://api.github.com/user',
  'http://169.254.169.254/latest/meta-data/',
  'https://localhost/',
];

const UPLOADS: Readonly<Record<string, readonly string[]>> = {
  gmail: ['google-resumable'],
  'google-drive': ['google-resumable'],
  youtube: ['google-resumable'],
  'google-cloud-storage': ['google-resumable', 's3-multipart'],
  'ibm-cloud-object-storage': ['s3-multipart'],
  'microsoft-outlook': ['ms-resumable'],
  'microsoft-onedrive': ['ms-resumable'],
  'microsoft-sharepoint': ['ms-resumable'],
  cloudflare: ['tus'],
};

interface Loaded {
  readonly service: string;
  readonly files: ReadonlyMap<string, string>;
  readonly manifest: IntegrationManifest;
}

const catalogue = new Catalogue(import.meta.dirname);
const schemaChecker = createSchemaChecker();
const services = await Promise.all((await catalogue.list()).map(({ id }) => load(id)));

async function load(id: string): Promise<Loaded> {
  const files = await catalogue.read(id);
  const { manifest } = check(files);
  if (manifest?.type !== 'integration') throw new Error(`${id} is no integration`);
  return { service: id.replace('@slipway/', ''), files, manifest };
}

function check(files: ReadonlyMap<string, string>) {
  return validatePackage(
    files.get(MANIFEST_FILE) ?? '',
    { has: (path) => files.has(path), text: (path) => files.get(path) },
    { direction: 'author', schemaChecker },
  );
}

/** Whether the method's credential may go to an address, as the sidecar judges it. */
function allows(auth: AuthMethod, address: string): boolean {
  const policy = {
    authorizedUris: compileAuthorizedUris(auth.authorizedUris),
    allowsAllUris: auth.allowsAllUris,
  };
  // With a secret written into it, which is the stricter case.
  return judgeTarget(parseTarget(address), policy, { substitutesCredential: true, isRedirect: false })
    .allowed;
}

function methods({ manifest }: Loaded): [string, AuthMethod][] {
  return Object.entries(manifest.auths);
}

const all = services.map((loaded) => [loaded.service, loaded] as const);

describe('the catalogue', () => {
  it('has lost no service, and no service without documented calls has crept in', () => {
    expect(services.map(({ service }) => service).sort()).toEqual(Object.keys(DOCUMENTED_CALLS).sort());
    expect(services.length).toBeGreaterThanOrEqual(44);
  });

  it('lists each once, by the name people see', async () => {
    const list = await catalogue.list();
    const names = list.map(({ displayName }) => displayName);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')));
    expect(list.find(({ id }) => id === '@slipway/github')).toEqual({
      id: '@slipway/github',
      displayName: 'GitHub',
      description: 'Repositories, issues, pull requests and workflows on GitHub.',
      tags: ['developer', 'git', 'code', 'issues'],
      auths: [
        { key: 'oauth', type: 'oauth2' },
        { key: 'token', type: 'api_key' },
      ],
      source: 'none',
      icon: 'logos:github-icon',
    });
  });

  it('gives the text of a manifest as it stands in the file', async () => {
    const files = await catalogue.read('@slipway/telegram');
    const text = await readFile(join(import.meta.dirname, 'telegram', MANIFEST_FILE), 'utf8');
    expect(files.get(MANIFEST_FILE)).toBe(text);
    expect([...files.keys()]).toEqual(['INTEGRATION.md', MANIFEST_FILE]);
  });

  it('says so when there is no such service, and reads nothing by path', async () => {
    for (const id of ['@slipway/none', '../samples', 'gmail']) {
      await expect(catalogue.read(id)).rejects.toMatchObject({ problem: { code: 'catalogue_unknown' } });
    }
  });

  it('offers every protocol of upload at a service that has it', () => {
    const found = services.flatMap(({ service, manifest }) => {
      const protocols = Object.values(manifest.apiAuths).flat();
      return protocols.length > 0 ? [[service, protocols] as const] : [];
    });
    expect(Object.fromEntries(found)).toEqual(UPLOADS);
  });
});

describe.each(all)('%s', (service, loaded) => {
  const { manifest, files } = loaded;
  const value: unknown = JSON.parse(files.get(MANIFEST_FILE) ?? '');

  it('has nothing to find fault with', () => {
    expect(check(files).findings).toEqual([]);
  });

  it('goes by the name of its folder, with a description and tags', () => {
    expect(manifest.name).toBe(`@slipway/${service}`);
    expect(manifest.description).toMatch(/^[A-Z].{10,120}\.$/);
    expect(manifest.keywords.length).toBeGreaterThan(0);
    expect(new Set(manifest.keywords).size).toBe(manifest.keywords.length);
  });

  it('has only https addresses', () => {
    const endpoints = methods(loaded).flatMap(([, auth]) => [
      auth.issuer,
      auth.authorizationEndpoint,
      auth.tokenEndpoint,
      auth.userinfoEndpoint,
    ]);
    const addresses = [...endpoints, ...manifest.setupSteps.map(({ url }) => url)];
    const plain = addresses.filter(
      (address) => address !== undefined && new URL(address).protocol !== 'https:',
    );
    expect(plain).toEqual([]);
    for (const [, auth] of methods(loaded)) {
      for (const pattern of auth.authorizedUris)
        expect(pattern).toMatch(/^https:\/\/[^/]*[a-z0-9-]+\.[a-z]+\//);
    }
  });

  it('lets the documented calls through, and none to another host', () => {
    const auths = methods(loaded).map(([, auth]) => auth);
    const may = (address: string) => auths.some((auth) => allows(auth, address));
    expect(DOCUMENTED_CALLS[service]?.filter((call) => !may(call))).toEqual([]);
    expect(OUTSIDE.filter(may)).toEqual([]);
    expect(auths.every((auth) => !auth.allowsAllUris)).toBe(true);
  });

  it('may ask the account who it is with the credential it gets', () => {
    for (const [, auth] of methods(loaded)) {
      if (auth.userinfoEndpoint === undefined) continue;
      expect(Object.keys(auth.identityClaims)).toContain('account_id');
      for (const claim of Object.values(auth.identityClaims)) expect(claim).toMatch(/^\$(\.\w+)+$/);
    }
  });

  it('has a label of its own for each scope, and asks for as little as it can by default', () => {
    for (const [, auth] of methods(loaded)) {
      const values = auth.scopeCatalog.map((scope) => scope.value);
      const labels = auth.scopeCatalog.map(({ label }) => label);
      expect(new Set(values).size).toBe(values.length);
      expect(new Set(labels).size).toBe(labels.length);
      for (const scope of auth.scopeCatalog) {
        expect(scope.label).not.toBe(scope.value);
        expect(scope.label).toMatch(/^[A-Z]/);
      }
      expect(values).toEqual(expect.arrayContaining([...auth.defaultScopes]));
      expect(auth.defaultScopes.length > 0).toBe(values.length > 0);
    }
  });

  it('tells of each way to connect how it is set up', () => {
    expect(manifest.setupSteps.length).toBeGreaterThan(0);
    const text = manifest.setupSteps.map(({ label }) => label).join('\n');
    // A hosted server lets the app register itself; elsewhere the author has to create a client.
    const isSelfRegistering = manifest.source.kind === 'remote';
    const step = isSelfRegistering ? /sign in/ : /client ID|application ID|Application \(client\) ID/;
    for (const [, auth] of methods(loaded)) {
      if (auth.type !== 'oauth2') continue;
      expect(text).toMatch(step);
      expect(auth.callbackUrlHint?.includes('{{callback_url}}') ?? false).toBe(!isSelfRegistering);
    }
  });

  it('asks for secrets in fields that hide them, and uses every field it asks for', () => {
    const notes = files.get('INTEGRATION.md') ?? '';
    for (const [key, auth] of methods(loaded)) {
      if (auth.credentialsSchema === undefined) continue;
      const fields = membersOf(auth.credentialsSchema['properties']);
      expect(itemsOf(auth.credentialsSchema['required'])).toEqual(fields.map(([name]) => name));
      expect(fields.some(([, field]) => isRecord(field) && field['format'] === 'password')).toBe(true);
      const used = JSON.stringify([auth.delivery, auth.connect]) + notes;
      for (const [name, field] of fields) {
        expect(isRecord(field) && typeof field['title']).toBe('string');
        expect({ key, name, isUsed: used.includes(`.${name}}`) || used.includes(`{{${name}}}`) }).toEqual({
          key,
          name,
          isUsed: true,
        });
      }
    }
  });

  it('has tools to choose from, and gives an agent that does not choose the call alone', () => {
    const { names, isOpen } = toolCatalogOf(manifest);
    const isApi = manifest.source.kind === 'none';
    expect(names.length > 0 || isOpen).toBe(true);
    expect(manifest.defaultTools).toEqual(isApi ? names : []);
    expect(Object.keys(manifest.apiAuths)).toEqual(isApi ? Object.keys(manifest.auths) : []);
  });

  it('says of a redirect only what the app understands', () => {
    const auths = membersOf(isRecord(value) ? value['auths'] : undefined);
    const redirects = auths.flatMap(([, auth]) => {
      const meta = isRecord(auth) && isRecord(auth['_meta']) ? auth['_meta'] : {};
      return 'app.slipway/redirect' in meta ? [meta['app.slipway/redirect']] : [];
    });
    for (const redirect of redirects) {
      expect(redirect).toEqual({
        kind: 'loopback',
        host: expect.stringMatching(/^(127\.0\.0\.1|localhost)$/) as unknown,
        port: expect.any(Number) as unknown,
      });
    }
  });
});

describe('a damaged catalogue', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('names the file that is at fault, and is read again once it is mended', async () => {
    await mkdir(join(folder, 'mail'));
    const damaged = new Catalogue(folder);
    const problem = {
      code: 'catalogue_damaged',
      detail: expect.stringContaining(join('mail', MANIFEST_FILE)) as unknown,
    };
    await expect(damaged.list()).rejects.toMatchObject({ problem });
    await writeFile(
      join(folder, 'mail', MANIFEST_FILE),
      '{"type": "skill", "name": "@a/b", "version": "1.0.0"}',
    );
    await expect(damaged.list()).rejects.toMatchObject({ problem });
    const text = await readFile(join(import.meta.dirname, 'gmail', MANIFEST_FILE), 'utf8');
    await writeFile(join(folder, 'mail', MANIFEST_FILE), text);
    expect((await damaged.list()).map(({ id }) => id)).toEqual(['@slipway/gmail']);
  });

  it('says that its folder is missing', async () => {
    const missing = new Catalogue(join(folder, 'none'));
    await expect(missing.list()).rejects.toMatchObject({ problem: { code: 'catalogue_damaged' } });
  });
});
