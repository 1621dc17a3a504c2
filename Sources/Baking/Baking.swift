// Baking
