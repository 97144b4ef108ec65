/**
 * The first proxy in an operating system's answer, such as `PROXY corp:3128; DIRECT`; undefined when it says
 * to go straight. SOCKS is passed over: requests cannot go through it.
 */
export function proxyOfAnswer(answer: string): string | undefined {
  for (const entry of answer.split(';')) {
    const [, kind = '', place = ''] = /^\s*([a-z0-9]+)(?:\s+(\S+))?\s*$/i.exec(entry) ?? [];
    if (/^direct$/i.test(kind)) return undefined;
    if (/^(proxy|http)$/i.test(kind) && place !== '') return `http://${place}`;
    if (/^https$/i.test(kind) && place !== '') return `https://${place}`;
  }
  return undefined;
}
