import { useId, useMemo } from 'react';
import { Select } from '#renderer/components/field.tsx';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { itemsOf } from '#shared/manifest/plain.ts';
import { useErrorsAt, useForm } from '../hooks/form-context.ts';
import { at, choiceOf, choicePath, removal } from '../model/agent-value.ts';
import { comesAlong, planScopes, type AuthPlan, type ScopePlan } from '../model/scope-plan.ts';
import { DependencyList } from './dependency-list.tsx';
import { FormSection } from './form-fields.tsx';
import { ScopePreview } from './scope-preview.tsx';
import { ScopeBadge } from './tool-row.tsx';

/** The services an agent calls: which version, how it signs in, and what that asks for. */
export function IntegrationsSection() {
  const { manifest, library } = useForm();
  const plans = useMemo(() => planScopes(manifest, library), [manifest, library]);
  return (
    <FormSection
      title="Integrations"
      intro="Services the agent calls with your account. Which of their tools it gets is chosen under Tools; what that asks of your account is shown here."
    >
      <DependencyList
        map="integrations"
        type="integration"
        addLabel="Add an integration"
        empty="The agent uses no service. Everything it does stays in its sandbox."
        renderDetails={(name) => {
          const plan = plans.find(({ integration }) => integration === name);
          return plan && <IntegrationDetails plan={plan} />;
        }}
      />
    </FormSection>
  );
}

function IntegrationDetails({ plan }: { plan: ScopePlan }) {
  const { manifest, actions, edit, isReadOnly } = useForm();
  const signInId = useId();
  const name = plan.integration;
  const path = choicePath(manifest, name, 'auth_key');
  const choice = choiceOf(manifest, name);
  const shown = choice.authKey === undefined ? plan.auths : plan.auths.filter(({ isChosen }) => isChosen);
  return (
    <div className="space-y-4 border-t border-line px-4 py-3">
      {(plan.auths.length > 1 || choice.authKey !== undefined) && (
        <div className="flex items-center gap-3">
          <label htmlFor={signInId} className="shrink-0 text-ink-soft">
            Signs in by
          </label>
          <span className="w-64">
            <Select
              id={signInId}
              data-pointer={pointerOf(path)}
              value={choice.authKey ?? ''}
              disabled={isReadOnly}
              onChange={(event) => {
                const key = event.target.value;
                edit(key === '' ? removal(manifest, path) : [{ pointer: pointerOf(path), value: key }]);
              }}
            >
              <option value="">whichever is connected</option>
              {plan.auths.map(({ key, type }) => (
                <option key={key} value={key}>
                  {key} ({AUTH_WORDS[type]})
                </option>
              ))}
              {choice.authKey !== undefined && shown.length === 0 && (
                <option value={choice.authKey}>{choice.authKey} (unknown)</option>
              )}
            </Select>
          </span>
        </div>
      )}
      {shown.map((auth) => (
        <ScopePreview key={auth.key} integration={name} auth={auth} onConnect={actions.connect} />
      ))}
      {shown.some(({ catalog }) => catalog.length > 0) && <MoreScopes name={name} auths={shown} />}
    </div>
  );
}

const AUTH_WORDS: Readonly<Record<AuthPlan['type'], string>> = {
  oauth2: 'OAuth',
  api_key: 'API key',
  basic: 'user name and password',
  mtls: 'client certificate',
  custom: 'own login',
};

/** Scopes of the catalogs, to be asked for beside those that the tools need. */
function MoreScopes({ name, auths }: { name: string; auths: readonly AuthPlan[] }) {
  const { manifest, edit, isReadOnly } = useForm();
  const path = choicePath(manifest, name, 'scopes');
  const pointer = pointerOf(path);
  const errors = useErrorsAt(pointer, true);
  const pinned = itemsOf(at(manifest, path));
  const known = new Set(auths.flatMap(({ catalog }) => catalog.map(({ value }) => value)));
  const toggle = (scope: string, isPinned: boolean) => {
    if (isPinned) {
      const isList = Array.isArray(at(manifest, path));
      edit([isList ? { pointer: `${pointer}/-`, value: scope } : { pointer, value: [scope] }]);
    } else if (pinned.length === 1) {
      edit(removal(manifest, path));
    } else {
      edit([{ pointer: `${pointer}/${pinned.indexOf(scope)}`, remove: true }]);
    }
  };
  const strangers = pinned.filter((scope): scope is string => typeof scope === 'string' && !known.has(scope));
  return (
    <details data-pointer={pointer} open={errors.length > 0 || undefined}>
      <summary className="rounded-sm font-medium text-accent">Ask for more scopes</summary>
      <p className="mt-1 text-sm text-ink-faint">
        For what the agent does through the API itself. Those that are asked for anyway cannot be unticked.
      </p>
      {errors.map((error) => (
        <p key={error} className="mt-1 text-sm text-danger">
          {error}
        </p>
      ))}
      {auths.map((auth) => {
        const along = comesAlong(auth);
        return (
          <fieldset key={auth.key} className="mt-2">
            <legend className="text-sm text-ink-faint">{auth.key}</legend>
            {auth.catalog.map(({ value, label, description }) => (
              <label key={value} className="flex items-center gap-2.5 py-0.5">
                <input
                  type="checkbox"
                  checked={along.has(value) || pinned.includes(value)}
                  disabled={isReadOnly || (along.has(value) && !pinned.includes(value))}
                  onChange={(event) => toggle(value, event.target.checked)}
                />
                <span title={description}>{label}</span>
                <ScopeBadge scope={value} label={label} />
              </label>
            ))}
          </fieldset>
        );
      })}
      {strangers.map((scope) => (
        <label key={scope} className="flex items-center gap-2.5 py-0.5">
          <input type="checkbox" checked disabled={isReadOnly} onChange={() => toggle(scope, false)} />
          <span className="font-mono text-sm">{scope}</span>
          <span className="text-sm text-ink-faint">in no catalog</span>
        </label>
      ))}
    </details>
  );
}
