import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './button.tsx';

/** Copies a text, and shows for a moment that it did. */
export function CopyButton({ text, label = 'Copy' }: { text: string | (() => string); label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await copyText(typeof text === 'string' ? text : text());
    setCopied(true);
  };
  return (
    <IconButton
      size="small"
      label={copied ? 'Copied' : label}
      icon={copied ? <Check size={14} className="text-success" /> : <Copy size={14} />}
      onClick={() => void copy()}
    />
  );
}

/** Electron denies the clipboard permission; the selection's own copy command needs none. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.style.position = 'fixed';
    area.style.opacity = '0';
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
