import type { Dialect } from './dialect.ts';

/** Makes something once for each dialect: a shape takes longer to make than to use. */
export function perDialect<T>(make: (dialect: Dialect) => T): (dialect: Dialect) => T {
  const made = new Map<Dialect, T>();
  return (dialect) => {
    const value = made.get(dialect) ?? make(dialect);
    made.set(dialect, value);
    return value;
  };
}
