import { Plus } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { FieldErrors, Input } from '#renderer/components/field.tsx';

/** The name of something. It is changed when the field is left, so that half a name never stands anywhere. */
export function NameInput({
  label,
  name,
  refuse,
  isReadOnly,
  onRename,
}: {
  label: string;
  name: string;
  /** Why another name may not be taken. */
  refuse: (typed: string) => string | undefined;
  isReadOnly: boolean;
  onRename: (to: string) => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const fault = typed === undefined || typed === name ? undefined : refuse(typed);
  return (
    <span className="w-56 min-w-0">
      <Input
        aria-label={label}
        aria-describedby={id}
        aria-invalid={fault !== undefined || undefined}
        className="font-mono"
        value={typed ?? name}
        readOnly={isReadOnly}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => {
          if (typed !== undefined && typed !== name && fault === undefined) onRename(typed);
          setTyped(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
          if (event.key === 'Escape') setTyped(undefined);
        }}
      />
      <FieldErrors id={id} errors={fault === undefined ? [] : [fault]} />
    </span>
  );
}

/** Adds something by its name. */
export function AddByName({
  label,
  placeholder,
  action,
  suggestions = [],
  refuse,
  isReadOnly,
  onAdd,
}: {
  label: string;
  placeholder: string;
  action: string;
  /** Names that are likely. */
  suggestions?: readonly string[];
  refuse: (name: string) => string | undefined;
  isReadOnly: boolean;
  onAdd: (name: string) => void;
}) {
  const id = useId();
  const [name, setName] = useState('');
  const [isTried, setTried] = useState(false);
  const fault = isTried ? refuse(name) : undefined;
  const add = () => {
    setTried(true);
    if (refuse(name) !== undefined || isReadOnly) return;
    onAdd(name);
    setName('');
    setTried(false);
  };
  return (
    <div>
      <div className="flex items-center gap-2">
        <Input
          aria-label={label}
          aria-describedby={`${id}-error`}
          aria-invalid={fault !== undefined || undefined}
          className="max-w-64 font-mono"
          placeholder={placeholder}
          list={suggestions.length > 0 ? `${id}-names` : undefined}
          value={name}
          readOnly={isReadOnly}
          onChange={(event) => {
            setName(event.target.value);
            setTried(false);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
        />
        {suggestions.length > 0 && (
          <datalist id={`${id}-names`}>
            {suggestions.map((suggestion) => (
              <option key={suggestion}>{suggestion}</option>
            ))}
          </datalist>
        )}
        <Button
          icon={<Plus size={14} />}
          unavailable={isReadOnly ? 'Mend the JSON first.' : undefined}
          onClick={add}
        >
          {action}
        </Button>
      </div>
      <FieldErrors id={`${id}-error`} errors={fault === undefined ? [] : [fault]} />
    </div>
  );
}
