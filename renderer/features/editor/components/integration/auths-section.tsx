import { useId, useState } from 'react';
import { ChevronRight } from 'lucide-react';
import { Badge } from '#renderer/components/badge.tsx';
import { classes } from '#renderer/components/classes.ts';
import { Select } from '#renderer/components/field.tsx';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { isRecord, membersOf } from '#shared/manifest/plain.ts';
import { AUTH_META_KEY } from '#shared/manifest/schemas/integration.ts';
import { useErrorsAt, useForm } from '../../hooks/form-context.ts';
import { at, removal } from '../../model/agent-value.ts';
import {
  AUTH_TYPES,
  idleMembers,
  newAuth,
  removeAuth,
  type AuthType,
} from '../../model/integration-value.ts';
import { renameAuth } from '../../model/rename-field.ts';
import { CheckField } from '../bound-controls.tsx';
import { FormSection, KeptField } from '../form-fields.tsx';
import { MemberRows } from '../member-rows.tsx';
import { AddressFields } from './address-fields.tsx';
import { ConnectFields } from './connect-fields.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { DeliveryFields } from './delivery-fields.tsx';
import { OauthFields } from './oauth-fields.tsx';

const TYPE_WORDS: Readonly<Record<AuthType, string>> = {
  oauth2: 'OAuth 2: the person agrees in the browser',
  api_key: 'A key or token the person pastes',
  basic: 'A user name and a password',
  mtls: 'A client certificate',
  custom: 'A login of the service’s own',
};

/** The ways to sign in to a service. */
export function AuthsSection() {
  const { manifest } = useForm();
  const id = useId();
  const [type, setType] = useState<AuthType>('oauth2');
  const isEmpty = membersOf(manifest['auths']).length === 0;
  return (
    <FormSection
      title="Sign-in"
      intro="Ways to sign in, each under a short key that agents and connections call it by. The credential never reaches the agent: it is added to the calls on their way."
    >
      <div className="max-w-200 space-y-4">
        <div className="flex flex-wrap items-center gap-2 text-ink-soft">
          <label htmlFor={id}>A new one is</label>
          <span className="w-96 max-w-full">
            <Select
              id={id}
              value={type}
              onChange={(event) =>
                setType(AUTH_TYPES.find((known) => known === event.target.value) ?? 'oauth2')
              }
            >
              {AUTH_TYPES.map((option) => (
                <option key={option} value={option}>
                  {TYPE_WORDS[option]}
                </option>
              ))}
            </Select>
          </span>
        </div>
        <MemberRows
          path={['auths']}
          one="sign-in"
          empty="There is none yet, and an integration needs one."
          start={newAuth(type)}
          suggestions={isEmpty ? ['primary'] : ['oauth', 'key']}
          refuseName={(name) =>
            /^[a-z][a-z0-9_]*$/.test(name) ? undefined : 'Use lower-case letters, digits and "_".'
          }
          rename={renameAuth}
          remove={(key) => removeAuth(manifest, key)}
          renderDetails={(path, key) => <AuthDetails path={path} authKey={key} />}
        />
      </div>
    </FormSection>
  );
}

function AuthDetails({ path, authKey }: { path: readonly string[]; authKey: string }) {
  const { manifest, edit, isReadOnly, sought } = useForm();
  const pointer = pointerOf(path);
  const errors = useErrorsAt(pointer);
  const inside = useErrorsAt(pointer, true);
  const only = membersOf(manifest['auths']).length === 1;
  const [opened, setOpened] = useState<boolean>();
  const auth = at(manifest, path);
  if (!isRecord(auth)) return <KeptField path={path} label={authKey} />;
  const type = AUTH_TYPES.find((known) => known === auth['type']);
  const isSought = sought === pointer || sought?.startsWith(`${pointer}/`) === true;
  const isOpen = opened ?? (only || isSought);
  const idle = idleMembers(auth);
  return (
    <div data-pointer={pointer} tabIndex={-1} className="focus:outline-none">
      <div className="flex items-center gap-2">
        <span className="w-96 max-w-full">
          <Select
            aria-label={`Kind of ${authKey}`}
            data-pointer={`${pointer}/type`}
            value={type ?? ''}
            disabled={isReadOnly}
            onChange={(event) => edit([{ pointer: `${pointer}/type`, value: event.target.value }])}
          >
            {type === undefined && (
              <option value="">{typeof auth['type'] === 'string' ? auth['type'] : 'Choose…'}</option>
            )}
            {AUTH_TYPES.map((option) => (
              <option key={option} value={option}>
                {TYPE_WORDS[option]}
              </option>
            ))}
          </Select>
        </span>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpened(!isOpen)}
          className="ml-auto inline-flex items-center gap-1 rounded-sm px-1 text-sm text-accent"
        >
          <ChevronRight
            size={14}
            aria-hidden="true"
            className={classes('transition-transform', isOpen && 'rotate-90')}
          />
          {isOpen ? 'Less' : 'More'}
          <span className="sr-only"> of {authKey}</span>
        </button>
        {!isOpen && inside.length > 0 && <Badge tone="danger">{inside.length}</Badge>}
      </div>
      {errors.map((error) => (
        <p key={error} className="mt-1 text-sm text-danger">
          {error}
        </p>
      ))}
      {isOpen && (
        <div className="mt-4 space-y-7">
          {type === 'oauth2' ? <OauthFields path={path} /> : <CredentialFields path={path} />}
          {type === 'custom' && <ConnectFields path={path} />}
          <AddressFields path={path} />
          <DeliveryFields path={path} authKey={authKey} />
          <CheckField
            path={[...path, '_meta', AUTH_META_KEY, 'required']}
            label="A run needs this sign-in in any case"
            help="Otherwise only when it uses a tool of the integration."
          />
          {idle.length > 0 && (
            <p className="border-l-2 border-caution pl-3 text-sm">
              Of another kind of sign-in, without effect and kept:{' '}
              <span className="font-mono">{idle.join(', ')}</span>.{' '}
              <button
                type="button"
                disabled={isReadOnly}
                className="text-accent underline underline-offset-2"
                onClick={() => edit(idle.flatMap((member) => removal(manifest, [...path, member])))}
              >
                Remove them
              </button>
            </p>
          )}
        </div>
      )}
    </div>
  );
}
