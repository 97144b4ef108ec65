/** Methods a call may use. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

const base64 = { type: 'string', description: 'Base64 with padding.' };

/** Arguments of `api_call`, as a model is told of them (reference: sidecar, section 1.2). */
export const CALL_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['target'],
  properties: {
    target: {
      type: 'string',
      format: 'uri',
      description: 'Absolute URL to call. May contain {{field}} placeholders of the credential.',
    },
    method: { type: 'string', enum: [...METHODS], default: 'GET' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Further request headers. The credential is added by itself; never write it here.',
    },
    body: {
      description: 'Not with GET or HEAD. A plain object or array is sent as JSON.',
      // Not `oneOf`: each form of an object is a plain object too, and clients check what a model writes.
      anyOf: [
        { type: 'string', description: 'Text, sent as it is. Set a Content-Type header.' },
        {
          type: 'object',
          properties: {
            fromFile: { type: 'string', description: 'Path of a file, relative to the workspace.' },
          },
          required: ['fromFile'],
          additionalProperties: false,
        },
        {
          type: 'object',
          properties: { fromBytes: base64, encoding: { const: 'base64' } },
          required: ['fromBytes', 'encoding'],
          additionalProperties: false,
        },
        {
          type: 'object',
          properties: {
            multipart: {
              type: 'array',
              minItems: 1,
              maxItems: 256,
              items: {
                oneOf: [
                  {
                    type: 'object',
                    properties: {
                      name: { type: 'string', minLength: 1, maxLength: 256 },
                      value: { type: 'string' },
                    },
                    required: ['name', 'value'],
                    additionalProperties: false,
                  },
                  {
                    type: 'object',
                    properties: {
                      name: { type: 'string', minLength: 1, maxLength: 256 },
                      filename: { type: 'string', minLength: 1, maxLength: 1024 },
                      bytes: base64,
                      encoding: { const: 'base64' },
                      contentType: { type: 'string', maxLength: 256 },
                    },
                    required: ['name', 'filename', 'bytes', 'encoding'],
                    additionalProperties: false,
                  },
                  {
                    type: 'object',
                    properties: {
                      name: { type: 'string', minLength: 1, maxLength: 256 },
                      fromFile: { type: 'string', description: 'Path of a file, relative to the workspace.' },
                      filename: {
                        type: 'string',
                        minLength: 1,
                        maxLength: 1024,
                        description: "The file's own name when left out.",
                      },
                      contentType: { type: 'string', maxLength: 256 },
                    },
                    required: ['name', 'fromFile'],
                    additionalProperties: false,
                  },
                ],
              },
            },
          },
          required: ['multipart'],
          additionalProperties: false,
        },
        { type: 'object', description: 'JSON object.' },
        { type: 'array', description: 'JSON array.' },
        { type: 'null' },
      ],
    },
    substituteBody: {
      type: 'boolean',
      default: false,
      description: 'Also fill {{field}} placeholders in the body.',
    },
    responseMode: {
      type: 'object',
      properties: {
        toFile: {
          type: 'string',
          description:
            'Write the response body to this file of the workspace instead of reading it, such as outputs/export.csv.',
        },
      },
      additionalProperties: false,
    },
  },
} as const;
