import { describe, expect, it } from 'vitest';
import { isOldTag } from './docker-images.ts';

describe('isOldTag', () => {
  it.each([
    ['slipway-sandbox:old', true],
    ['localhost/slipway-sandbox:old', true],
    ['slipway-sandbox:now', false],
    ['localhost/slipway-sandbox:now', false],
    ['slipway-sandbox-mine:old', false],
    ['registry.example/slipway-sandbox:old', false],
    ['debian:bookworm-slim', false],
  ])('counts %s as old: %s', (name, expected) => {
    expect(isOldTag(name, 'slipway-sandbox', 'slipway-sandbox:now')).toBe(expected);
  });
});
