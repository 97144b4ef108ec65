import { useId, useState } from 'react';
import { Check, X } from 'lucide-react';
import { Field, Input } from '#renderer/components/field.tsx';
import { useForm } from '../../hooks/form-context.ts';
import { at, textsAt } from '../../model/agent-value.ts';
import { testAddress } from '../../model/address-test.ts';
import { CheckField, FormGroup, LinesField } from '../bound-controls.tsx';

/** Where the credential may go, and a place to try an address. */
export function AddressFields({ path }: { path: readonly string[] }) {
  const { manifest } = useForm();
  return (
    <FormGroup
      title="Addresses it may be sent to"
      intro="“*” stands for part of a host or of one step of the path, “**” for any number of steps."
    >
      <LinesField
        path={[...path, 'authorized_uris']}
        label="Addresses"
        placeholder="https://api.example.com/**"
        help="One on each line."
      />
      <CheckField
        path={[...path, 'allow_all_uris']}
        label="Any address"
        help="Only for services whose host each user chooses: nothing else keeps the credential from going astray."
      />
      <AddressTester
        patterns={textsAt(manifest, [...path, 'authorized_uris'])}
        allowsAll={at(manifest, [...path, 'allow_all_uris']) === true}
      />
    </FormGroup>
  );
}

function AddressTester({ patterns, allowsAll }: { patterns: readonly string[]; allowsAll: boolean }) {
  const id = useId();
  const [address, setAddress] = useState('');
  const verdict = address.trim() === '' ? undefined : testAddress(address.trim(), patterns, allowsAll);
  return (
    <Field id={id} label="Try an address" help="Nothing is sent.">
      {(attributes) => (
        <>
          <Input
            {...attributes}
            className="font-mono text-sm"
            placeholder="https://api.example.com/v1/items"
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
          <p role="status" className="mt-1 flex items-start gap-1.5 text-sm wrap-anywhere">
            {verdict && (
              <>
                {verdict.isAllowed ? (
                  <Check size={14} aria-hidden="true" className="mt-0.5 shrink-0 text-success" />
                ) : (
                  <X size={14} aria-hidden="true" className="mt-0.5 shrink-0 text-danger" />
                )}
                <span className={verdict.isAllowed ? 'text-success' : 'text-danger'}>{verdict.sentence}</span>
              </>
            )}
          </p>
        </>
      )}
    </Field>
  );
}
