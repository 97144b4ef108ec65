/** What of s3rver, which has no types of its own, is used here. */
declare module 's3rver' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export default class S3rver {
    constructor(options: {
      directory: string;
      silent: boolean;
      vhostBuckets: boolean;
      configureBuckets: { name: string }[];
      allowMismatchedSignatures: boolean;
    });
    getMiddleware(): (request: IncomingMessage, response: ServerResponse) => void;
    configureBuckets(): Promise<unknown>;
  }
}
