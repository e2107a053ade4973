export const ServiceGraph = (): null => null;
