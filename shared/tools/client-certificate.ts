/** What a program shows of itself when it connects, in PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Certificate and key among a connection's fields, known by what they are: people name the fields as they
 * like. Undefined where one of the two is missing.
 */
export function clientCertificateIn(fields: Readonly<Record<string, string>>): ClientCertificate | undefined {
  const find = (begin: string) =>
    Object.values(fields).find((value) => new RegExp(`-----BEGIN [A-Z ]*${begin}-----`).test(value));
  const certificate = find('CERTIFICATE');
  const key = find('PRIVATE KEY');
  return certificate !== undefined && key !== undefined ? { certificate, key } : undefined;
}
