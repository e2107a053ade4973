/** A vendor's published GraphQL schema, for a fake that runs what it is asked against it. */
import { readFileSync } from 'node:fs';
import { buildSchema, execute, GraphQLError, parse, validate, type ExecutionResult, type GraphQLSchema } from 'graphql';

/** @param file beside `from`, in GraphQL's schema definition language */
export function readSchema(file: string, from: string): GraphQLSchema {
  return buildSchema(readFileSync(new URL(file, from), 'utf8'));
}

/** Runs a request as a GraphQL server does: parsed, validated against the schema, its variables coerced. */
export async function runGraphql(schema: GraphQLSchema, body: string, root: object): Promise<ExecutionResult> {
  try {
    const { query, variables } = JSON.parse(body) as { query: string; variables?: Record<string, unknown> };
    const document = parse(query);
    const errors = validate(schema, document);
    if (errors.length > 0) return { errors };
    return await execute({ schema, document, rootValue: root, variableValues: variables });
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
}
