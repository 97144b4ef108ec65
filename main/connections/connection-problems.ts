import { ProblemError } from '#shared/problem.ts';
import type { AuthReference } from './connection-service.ts';

export function unknownConnection(): ProblemError {
  return new ProblemError({
    code: 'connection_unknown',
    title: 'Unknown connection',
    detail: 'There is no such connection. It may have been removed.',
  });
}

export function authUnknown({ integrationId, authKey }: AuthReference): ProblemError {
  return new ProblemError({
    code: 'auth_unknown',
    title: 'Unknown way of connecting',
    detail: `${integrationId} has no way of connecting called "${authKey.slice(0, 100)}".`,
  });
}

export function wrongWay(detail: string): ProblemError {
  return new ProblemError({ code: 'auth_wrong_way', title: 'Not the way to connect', detail });
}
